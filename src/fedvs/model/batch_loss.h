// The losses that classifiers end in, with their gradients. Plain loops in a fixed order.
#pragma once
#include <span>

namespace fedvs::model {

// Both return the mean loss of a batch and replace its logits by the gradient of that mean.
// Labels lie in [0, classes); a row with a logit that is not finite makes the loss NaN or infinite.

// -log softmax(row)[label]; logits: rows x classes.
double softmax_loss(std::span<float> logits, std::span<const int> labels);
// -log of sigmoid(logit) for label 1, of sigmoid(-logit) for label 0; logits: one per row.
double logistic_loss(std::span<float> logits, std::span<const int> labels);

}  // namespace fedvs::model
