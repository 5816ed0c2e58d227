"""English words that carry grammar, and words for numbers."""

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    """
    a an the this that these those each every either neither both all half such same other another any some no none
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our
    ours ourselves they them their theirs themselves one ones who whom whose which what whoever whatever whichever
    somebody someone something anybody anyone anything nobody nothing everybody everyone everything thou thee thy ye
    and or but nor for yet so if though although unless until till because since while whilst whereas when whenever where
    wherever as than whether lest that
    about above across after against along amid among amongst around at before behind below beneath beside besides between
    beyond by concerning despite down during except from in inside into like near of off on onto out outside over past
    round through throughout to toward towards under underneath up upon via with within without
    am is are was were be been being have has had having do does did doing done can could may might must shall should will
    would ought need dare used let cannot
    not n't never ever only even also too very quite rather almost just still again once then there here now thus hence
    how why however therefore perhaps indeed already always often more most much many few less least little several enough
    own yes no oh ah well
    don't didn't doesn't can't couldn't won't wouldn't shouldn't isn't aren't wasn't weren't hasn't haven't hadn't mustn't
    i'm i'll i'd i've you're you'll you'd you've he's he'll he'd she's she'll she'd it's it'll it'd we're we'll we'd we've
    they're they'll they'd they've that's there's what's who's here's where's let's
    mr mrs miss ms dr sir lady lord madam
    """.split()
)
"""Articles, pronouns, conjunctions, prepositions, auxiliaries, and adverbs that hold a sentence together."""

NUMBER_WORDS = frozenset(
    """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen
    """.split()
)
"""Words for numbers; not "one", which is mostly a pronoun."""
