#!/bin/sh
# A first look around inside a sealed run: glovebox run hello.sh

echo "Hello from a sealed run. This is $(readlink -f /proc/$$/exe)."
echo "I am '$(id -un)' on '$(uname -n)', and I work in $(pwd)."

echo "All that I see of the machine:" $(ls /)
homes=$(ls -A /home /root 2>/dev/null | grep -v ':$')
echo "Of your home folder I see" ${homes:-nothing.}

echo "Network devices:" $(cut -s -d: -f1 /proc/net/dev) "(lo reaches nothing but this run)"

echo "A run wrote this file." >note.txt
echo "I can write files here, and none of yours:" $(ls)
echo "I may run for 30 seconds; -t gives me others. Goodbye!"
