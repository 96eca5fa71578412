# check: load
# says: has no fit()
#
# /// conoscope
# kind = "explainer"
# id = "has_no_fit"
# version = "1"
# needs = ["head_view"]
# offers = ["explanation"]
# ///
import conoscope.plugin as cp


class Twin(cp.Explainer):
    pass


cp.main(Twin)
