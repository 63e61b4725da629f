"""The notices of `inspect_kit.errors` by the name under which the photo rooms know them."""

from inspect_kit.errors import ENGLISH, Notice, in_figures_of, notice, sentence, sentences, worded_fact

__all__ = ["ENGLISH", "Notice", "in_figures_of", "notice", "sentence", "sentences", "worded_fact"]
