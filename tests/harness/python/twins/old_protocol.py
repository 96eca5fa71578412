# check: load
# says: speaks protocol 0 of process plugins, this conoscope 1
#
# /// conoscope
# kind = "explainer"
# id = "old_protocol"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import os

os.write(4, b"hello\t0\texplainer\tfit\n")
os.read(3, 1)
