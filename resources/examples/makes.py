"""Files that a run makes are kept, beside its record: glovebox run makes.py"""
import csv
import struct
import zlib

with open("squares.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["number", "square"])
    table.writerows([n, n * n] for n in range(1, 21))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


width, height = 256, 128
rows = b"".join(b"\0" + bytes(channel for x in range(width) for channel in (x, 2 * y, 160)) for y in range(height))
with open("colours.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
               + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

print("I made squares.csv and colours.png. The Files tab shows them, and saves them where you want.")
