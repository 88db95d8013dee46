# Glovebox: pip for index.py. It starts no program, and takes packages of an index only.
#
# The metadata of a wheel can have an address in place of a name (a direct reference): pip would download a source from there, or have
# git do so, and run the code that builds it. argv: the number of a descriptor, the folder of wheels or nothing, then pip's own arguments.
# The descriptor gets a line {"by", "name"} if a package requires another one by an address, and pip ends; else a line {"file"} for each
# wheel that pip takes from that folder.
import json
import os
import runpy
import sys

told = int(sys.argv.pop(1))
wheels = sys.argv.pop(1)
taken = set()
# The ways by which pip could start a program (https://docs.python.org/3/library/audit_events.html); code of others isn't here.
starts = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn",
          "subprocess.Popen"}


def refuse(event, arguments):
    if event in starts:
        raise PermissionError("Glovebox starts no program while packages are fetched")  # pip does without those that it can miss
    if event == "shutil.copyfile" and wheels and os.path.dirname(str(arguments[0])) == wheels:
        file = os.path.basename(str(arguments[0]))
        if file not in taken:
            taken.add(file)
            os.write(told, json.dumps({"file": file[:255]}).encode() + b"\n")


sys.addaudithook(refuse)

from pip._internal.req.req_install import InstallRequirement  # noqa: E402: whatever it reads is under that

make = InstallRequirement.__init__


def make_of_index(self, req, comes_from, *more, **named):
    if getattr(req, "url", None):
        line = json.dumps({"by": str(getattr(comes_from, "name", ""))[:200], "name": str(req.name)[:200]})
        os.write(told, line.encode())
        os._exit(1)
    make(self, req, comes_from, *more, **named)


InstallRequirement.__init__ = make_of_index
runpy.run_module("pip", run_name="__main__", alter_sys=True)
