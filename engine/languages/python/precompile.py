# SPDX-License-Identifier: Apache-2.0
"""precompile.py driver.py OUTPUT: the driver as this Python caches modules, as an entry of a C++ list of InnerFile.

Unchecked (PEP 552): neither times nor hashes of the text are compared when it is loaded.
"""
import os
import py_compile
import sys
import tempfile

source, output = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    cache = py_compile.compile(source, os.path.join(folder, "cache"), "/run/glovebox/sitecustomize.py", doraise=True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    with open(cache, "rb") as file:
        content = file.read()
text = "".join("\\%03o" % byte for byte in content)
with open(output, "w") as file:
    file.write('{"__pycache__/sitecustomize.%s.pyc",\n QByteArray("%s", %d)},\n'
               % (sys.implementation.cache_tag, text, len(content)))
