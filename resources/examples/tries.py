"""What code tries is told beside its output: glovebox run tries.py"""
import os
import socket

print("I look for keys of yours.")
for path in ("~/.ssh/id_ed25519", "~/.aws/credentials", "/etc/shadow"):
    try:
        with open(os.path.expanduser(path)) as file:
            print(f"{path}: {len(file.read())} characters?!")
    except OSError as error:
        print(f"{path}: {error.strerror}")

print("I call a server, to tell it what I found.")
try:
    socket.create_connection(("collect.example.net", 443), timeout=3).close()
    print("I reached it?!")
except OSError as error:
    print(f"It is out of reach: {error.strerror or error}.")

print("All of that stands under \"What it tried\", and stays on record.")
