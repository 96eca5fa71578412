"""A ResNet-18 of plain PyTorch, handed over: trained on the digits, scored, explained, exported.

    conoscope dataset export digits -o digits
    python3 resnet18.py
"""

import numpy as np
import torch
from torch import nn

import conoscope
import conoscope.torch


class Block(nn.Module):
    def __init__(self, width_in, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.shortcut = nn.Sequential()
        if stride > 1 or width_in != width:
            self.shortcut = nn.Sequential(
                nn.Conv2d(width_in, width, 1, stride, bias=False), nn.BatchNorm2d(width)
            )

    def forward(self, x):
        h = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(h + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self, classes, width=16):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()
        )
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        for i in range(1, 5):
            first = Block(widths[i - 1], widths[i], 1 if i == 1 else 2)
            setattr(self, f"layer{i}", nn.Sequential(first, Block(widths[i], widths[i], 1)))
        self.fc = nn.Linear(widths[4], classes)

    def forward(self, x):
        x = nn.functional.interpolate(x, size=(32, 32), mode="bilinear", align_corners=False)
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(x.mean((2, 3)))


torch.manual_seed(0)
images = torch.from_numpy(np.load("digits/inputs.npy")).permute(0, 3, 1, 2)
labels = torch.from_numpy(np.load("digits/labels.npy"))
train, test = (np.load(f"digits/{part}_index.npy") for part in ("train", "test"))


def batches(rows, size=64):
    parts = [rows[i : i + size] for i in range(0, len(rows), size)]
    return [(images[part], labels[part]) for part in parts]


network = ResNet18(classes=10)
optimiser = torch.optim.Adam(network.parameters(), 1e-3)
for epoch in range(4):
    for x, y in batches(np.random.default_rng(epoch).permutation(train)):
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(x), y).backward()
        optimiser.step()

view = conoscope.torch.head_view(network, "layer4", batches(train), batches(test))
print("layer4:", np.load(view.activations, mmap_mode="r").shape, "pooling:", view.pooling)

methods = ["svd", "pca", "ica", "nmf", "kmeans", "ice", "craft", "cdisco", "cdisco_directional",
           "topk_sae", "c_shap", "mcd", "perfect"]
scores = conoscope.measure("surf_mae", "surf_top1", **view.arrays(), explain=methods)
for method in methods:
    mae, top1 = scores.of(method)["surf_mae"], scores.of(method)["surf_top1"]
    print(f"{method:20}{mae.value:8.2g}{top1.value:8.3f}" if mae.value is not None
          else f"{method:20}{mae.message}")

model = conoscope.torch.export(network, "layer4", images[:2], "resnet18.pt")
store = conoscope.run({
    "metrics": ["surf_mae", "surf_top1"],
    "dataset": [{"id": "digits"}],
    "model": [model],
    "explainer": [{"id": "svd"}, {"id": "ace", "params": {"k": 5}}, {"id": "random_concepts"}],
})
for row in store.query(
    "SELECT e.name AS explainer, metric, round(value, 3) AS value FROM current_score "
    "JOIN cell ON cell.key = current_score.cell JOIN component AS e ON e.key = cell.explainer "
    "ORDER BY 1, 2"
).itertuples():
    print(*row[1:])
