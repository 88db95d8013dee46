#!/bin/sh
# A first look around inside a sealed run: glovebox run hello.sh

echo "Hello from a sealed run. This is $(readlink -f /proc/$$/exe)."
echo "I am '$(id -un)' on '$(uname -n)', and I work in $(pwd)."

echo "All that I see of the machine:" $(ls /)
if [ -e /home ] || [ -e /root ]; then
    echo "Your home folder is here?!"
else
    echo "Your home folder is not among them."
fi

echo "Network devices:" $(cut -s -d: -f1 /proc/net/dev) "(lo reaches nothing but this run)"

echo "This file goes away with the run." >note.txt
echo "I can write files here, and they go away with me:" $(ls)
echo "I have 30 seconds, unless you gave me others with -t. Goodbye!"
