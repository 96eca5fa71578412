#pragma once

// Metadata that several of the plugins share. TOML's other quotes spare the escapes; a raw string
// cannot stand in a macro.

/// The parameters that every one of them has, with these defaults.
#define CONOSCOPE_VAE_PARAMETERS(epochs_default, batch_size_default, learning_rate_default)  \
  "\n[parameters.latents]\n"                                                                 \
  "type = 'integer'\ndefault = 10\nmin = 1\nmax = 1000\n"                                    \
  "help = 'dimensions of the code'\n"                                                        \
  "\n[parameters.likelihood]\n"                                                              \
  "type = 'text'\ndefault = 'bernoulli'\nchoices = ['bernoulli', 'gaussian']\n"              \
  "help = 'of the inputs: bernoulli for values in [0, 1]; gaussian (variance 1) for any, "   \
  "standardised by channel or feature'\n"                                                    \
  "\n[parameters.architecture]\n"                                                            \
  "type = 'text'\ndefault = 'auto'\nchoices = ['auto', 'convolutional', 'dense']\n"          \
  "help = 'auto: convolutional for images with both sides at least 8, else dense'\n"         \
  "\n[parameters.hidden]\n"                                                                  \
  "type = 'integer'\ndefault = 256\nmin = 1\nmax = 65536\n"                                  \
  "help = 'units of the dense layer between convolutions and code, or of each of two dense " \
  "layers'\n"                                                                                \
  "\n[parameters.epochs]\n"                                                                  \
  "type = 'integer'\ndefault = " #epochs_default                                             \
  "\nmin = 1\nmax = 1000000\n"                                                               \
  "help = 'passes over the training split'\n"                                                \
  "\n[parameters.steps]\n"                                                                   \
  "type = 'integer'\ndefault = 0\nmin = 0\nmax = 100000000\n"                                \
  "help = 'batches in all; 0: as many as epochs asks for'\n"                                 \
  "\n[parameters.batch_size]\n"                                                              \
  "type = 'integer'\ndefault = " #batch_size_default                                         \
  "\nmin = 1\nmax = 65536\n"                                                                 \
  "help = 'samples per step; at most the training split'\n"                                  \
  "\n[parameters.learning_rate]\n"                                                           \
  "type = 'real'\ndefault = " #learning_rate_default                                         \
  "\nmin = 1e-8\nmax = 10.0\n"                                                               \
  "help = 'of Adam'\n"

/// Of the methods that draw pairs.
#define CONOSCOPE_ADA_PARAMETERS                                                                  \
  "\n[parameters.beta]\n"                                                                         \
  "type = 'real'\ndefault = 1.0\nmin = 0.0\nmax = 1e6\n"                                          \
  "help = 'weight of the divergence from the prior'\n"                                            \
  "\n[parameters.changed_factors]\n"                                                              \
  "type = 'integer'\ndefault = 0\nmin = 0\nmax = 63\n"                                            \
  "help = 'factors in which a pair may differ, or more where the data hold no such pair; 0: for " \
  "each pair one, or with probability 1/2 a number drawn from 1 to all but one'\n"
