# Reads the QR code that `smp-server address` shows at a terminal, as a phone does.
#   qr_code.py FOLDER PROGRAM
import os
import pty
import subprocess
import sys

import zxingcpp

folder, program = sys.argv[1:]
paths = {"SMP_SERVER_CFG_PATH": os.path.join(folder, "etc"), "SMP_SERVER_LOG_PATH": os.path.join(folder, "data")}
environment = {**os.environ, **paths}
subprocess.run([program, "init", "-y", "--ip", "127.0.0.1"], env=environment, check=True, capture_output=True)
terminal, other = pty.openpty()
with subprocess.Popen([program, "address"], env=environment, stdout=other) as process:
    os.close(other)
    output = b""
    try:
        while part := os.read(terminal, 65536):
            output += part
    except OSError:
        pass  # The program has ended.
    assert process.wait() == 0
lines = output.decode().replace("\r", "").splitlines()
address = lines[0]
start, end = "\x1b[97;40m", "\x1b[0m"
rows = [line[len(start) : -len(end)] for line in lines[1:] if line.startswith(start) and line.endswith(end)]
assert len(rows) > 16, lines

# Each character is two modules, one above the other, and each module some pixels. Around the code the terminal is dark.
scale, margin = 6, 4
width = (len(rows[0]) + 2 * margin) * scale
modules = [[character in lights for character in row] for row in rows for lights in ("█▀", "█▄")]
empty = [False] * (len(rows[0]) + 2 * margin)
padded = [empty] * margin + [[False] * margin + row + [False] * margin for row in modules] + [empty] * margin
pixels = b"".join(bytes(255 if light else 0 for light in row for _ in range(scale)) * scale for row in padded)
image = memoryview(pixels).cast("B", shape=[len(padded) * scale, width])
assert [code.text for code in zxingcpp.read_barcodes(image)] == [address]
# Programs get the address alone.
assert subprocess.run([program, "address"], env=environment, capture_output=True, text=True).stdout == address + "\n"
