# check: load
# says: (syntax_error.py, line 12)
#
# /// conoscope
# kind = "explainer"
# id = "syntax_error"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///

def fit(self) return 1
