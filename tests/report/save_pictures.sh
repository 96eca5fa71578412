#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures in docs/images, in the quick profiles. Needs a release build that has tested the report
# (its node modules), `conoscope` on the PATH and Chromium.
#
#   tests/report/save_pictures.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) images=$root/docs/images
export CONOSCOPE_TEST_MODULES=$root/build/release/tests/report/npm/node_modules CONOSCOPE_TEST_CHROMIUM=/usr/bin/chromium
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# RUN PICTURE FILE CHOICE [WIDTH]
picture() { node "$root/tests/report/save_picture.mjs" "$1.html" "$2" "$images/$3" "$4" ${5:+"$5"}; }
draw() { conoscope run "$@" && conoscope report "$1" -o "$1.html"; }

draw quick
draw pictures
draw leakage_causes
draw parsimony --only seed=0
conoscope run purity_models
sed 's/^name = .*/name = "irs_pictures"\nsummaries = true/' "$root/harness/runs/irs_models.toml" >irs_pictures.toml
conoscope run irs_pictures.toml --only seed=0
conoscope report irs_pictures -o irs_pictures.html
toy='dataset=toy, delta 0.25'

# docs/report.md
picture quick board leaderboard.svg metric=surf_emd
picture pictures purity purity.svg "$toy"
cell=$(conoscope query "SELECT cell.key FROM cell JOIN component ON component.key = cell.explainer
  WHERE name = 'kmeans' AND control = 'none' AND seed = 0" --format csv | tail -1)
conoscope show "$cell" --sample 128 -o "$images/explained.svg"

# docs/reproduction.md: Kumar and Ahuja
picture parsimony curve surf-2-emd.svg metric=surf_emd 1200
picture parsimony curve surf-2-mae.svg 'metric=surf_mae&find=c' 1200

# Parisini et al.
picture pictures histogram leakage-2-1.svg "$toy&picked=cbm(bottleneck=hard,training=independent,epochs=40)" 1200
picture pictures histogram leakage-2-2.svg "$toy&picked=cbm(epochs=40)" 1200
picture pictures histogram leakage-2-3.svg "$toy&picked=cbm(concept_weight=0.01,epochs=40)" 1200
picture leakage_causes intervention leakage-3.svg dataset=toy 1200
cem='cem(p_int=0,concept_weight=10,epochs=20)'
picture pictures embedding leakage-9.webp "$toy&picked=$cem" 1200
picture pictures others leakage-11.webp "$toy&picked=$cem" 1200
cem='cem(p_int=0.75,concept_weight=10,epochs=20)'
picture pictures embedding leakage-21.webp "$toy&picked=$cem" 1200
picture pictures others leakage-22.webp "$toy&picked=$cem" 1200
hard='cbm(bottleneck=hard,training=independent)'
conoscope board leakage_causes -m mi_true_ic --model "$hard" --plot "$images/leakage-14.svg"
conoscope board leakage_causes -m nis_complement --model "$hard" --plot "$images/leakage-15.svg"
conoscope board leakage_causes -m nis_complement --dataset toy --model 'cbm(concept_weight=5)' \
  --model 'cbm(bottleneck=logit,concept_weight=5)' --plot "$images/leakage-16.svg"

# Espinosa Zarlenga et al.
picture pictures correlation purity-1b.svg 'dataset=toy, delta 0'
conoscope board purity_models -m ois --plot "$images/purity-4a.svg"
conoscope board purity_models -m nis --plot "$images/purity-4b.svg"

# Suter et al.
tcvae='beta_tcvae(architecture=dense,steps=1500,batch_size=64)'
picture irs_pictures dependency irs-8-12.svg '' 1000
picture irs_pictures effect irs-17.webp "picked=$tcvae"
picture irs_pictures violin irs-7.webp "picked=$tcvae"
