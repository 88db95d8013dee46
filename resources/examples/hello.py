"""A first look around inside a sealed run: glovebox run hello.py"""
import getpass
import os
import platform
import socket

print(f"Hello from a sealed run. This is Python {platform.python_version()}.")
print(f"I am {getpass.getuser()!r} on {platform.node()!r}, and I work in {os.getcwd()}.")

folders = sorted(os.listdir("/"))
print("All that I see of the machine:", " ".join(folders))
homes = [name for place in ("/home", "/root") if os.path.isdir(place) for name in os.listdir(place)]
print("Of your home folder I see", " ".join(homes) + "?!" if homes else "nothing.")

try:
    socket.create_connection(("192.0.2.1", 443), timeout=3).close()
    print("I reached the internet?!")
except OSError as error:
    print(f"The internet is out of reach: {error.strerror or error}.")

with open("note.txt", "w") as note:
    note.write("A run wrote this file.\n")
print("I can write files here, and none of yours:", " ".join(sorted(os.listdir())))
print("I may run for 30 seconds; -t gives me others. Goodbye!")
