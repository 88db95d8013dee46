# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=driver.py -DOUTPUT=driver.inc -P embed.cmake: a text file as a C++ string literal.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"=====(${text})=====\"\n")
