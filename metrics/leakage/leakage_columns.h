// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "metrics/information/concept_information.h"
#include "metrics/metric.h"
#include "metrics/subject.h"

namespace conoscope::metrics {

// What measures of leakage start from: functions for Subject::once.

/// The predicted concepts. throws  as predicted_concepts
ConceptColumns predicted_columns(const Subject& subject);

ConceptColumns true_columns(const Subject& subject);

/// A concept that is not whole and whose equal values spoil estimates from nearest neighbours.
struct TiedConcept {
  Index index = 0;
  Index samples = 0;  ///< that have k others of exactly their value, so that their radius is 0
};

/// The first predicted concept that ties take more than 0.01 nat of I(c; c) from, which without them
/// is psi(n) - psi(k). What they take from an estimate against anything else is about half of it:
/// far below the 0.015 that an estimate at n = 1,000 deviates by.
std::optional<TiedConcept> tied_concept(const Subject& subject);

/// The predicted concepts; where one of them is tied_concept, with the reference's noise, drawn
/// once, so that saturated probabilities have neighbours. For statistics that are compared with
/// others of the same columns.
/// throws  std::domain_error: noise that leaves ties, as that of a mean near 0
ConceptColumns untied_columns(const Subject& subject);

/// throws  std::invalid_argument, beginning with `name`: shapes that differ, true concepts that are
///         no whole numbers
void require_same_concepts(const char* name, const ConceptColumns& predicted,
                           const ConceptColumns& truth);

/// throws  NotApplicable: one concept, which has no pairs
void require_pairs(const Subject& subject);

/// The declaration of a measure that compares predicted concepts with true ones, and where it is
/// `labelled` with the label. parts: see Metric.
Metric leakage_row(const char* name, const char* question, Direction direction, const char* source,
                   bool labelled, std::string_view parts, Result (*compute)(const Subject&));

}  // namespace conoscope::metrics
