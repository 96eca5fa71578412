# check: load
# says: its metadata say that it is a model, and it says explainer
#
# /// conoscope
# kind = "model"
# id = "another_kind"
# version = "1"
# offers = ["head_view"]
# ///
import conoscope.plugin as cp


class Twin(cp.Explainer):
    def fit(self, head, context):
        return None


cp.main(Twin)
