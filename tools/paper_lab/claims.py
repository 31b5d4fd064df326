"""Each claim of the paper, quoted by its section, with what we measured and a verdict computed from it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from paper_lab.results import Results
from paper_lab.tables import cell

Claim = Callable[[Results], str]


def entry(section: str, quote: str, measured: str, verdict: str) -> str:
    """Return one claim in Markdown."""
    return f"### {section}\n\n> {quote}\n\n{measured}\n\n**{verdict}**\n"


def verdict(holds: bool, otherwise: str = "not reproduced") -> str:
    """Return "reproduced", or the other word."""
    return "reproduced" if holds else otherwise


def construction(results: Results) -> str:
    """Figure 1."""
    curves = {s: run["construction"] for s in (4, 8, 12) if (run := results.get(f"g-paper-s{s}-m256"))}
    if not curves:
        return ""
    ends = [curve[-1] for curve in curves.values()]
    text = "; ".join(f"s = {s}: from {cell(c[0])} to {cell(c[-1])}" for s, c in curves.items())
    spread = max(ends) - min(ends)
    measured = f"G_256 during its construction: {text}. The ends lie {cell(spread)} points apart."
    quote = (
        "The figures show how effective the initialization is [...] similar results regardless of the sparsity level s."
    )
    return entry("VII, figure 1", quote, measured, verdict(spread < 0.1, "refined: the levels differ"))


def monotone(results: Results) -> str:
    """Figure 2."""
    curves = [run["curve"] for name, run in results.runs.items() if name.startswith(("g-paper", "h-s4", "q-s"))]
    rise = max((b - a for c in curves for a, b in pairwise(c)), default=0.0)
    measured = f"{len(curves)} runs of G_m-, H_p- and Q-DLA: the largest rise in any iteration is {rise:.1e}."
    quote = "each step of the algorithm monotonically decreases the objective function [...] until convergence."
    return entry("VII, figure 2", quote, measured, verdict(rise < 1e-12))


def diminishing(results: Results) -> str:
    """Figure 3."""
    errors = results.by_size("g-paper-s4-m")
    sizes = list(errors)
    falls = all(errors[a] > errors[b] for a, b in pairwise(sizes))
    plateau = results.by_size("g-paper-s12-m")
    drop = 100.0 * (plateau.get(128, 0.0) - plateau.get(682, 0.0))
    measured = (
        f"Algorithm 1 falls at every size of the table: {falls}. At s = 12 the error still "
        f"falls by {drop:.1f} points "
        f"from m = 128 ({cell(plateau.get(128))}) to m = 682 ({cell(plateau.get(682))})."
    )
    quote = (
        "increasing the number of transforms [...] always lowers the representation error "
        "but with diminishing returns "
        "[...] with s=12 the representation performance hits a plateau after m >= 128."
    )
    return entry(
        "VII, figure 3", quote, measured, verdict(falls and drop < 2.0, "refined: it falls, without that plateau")
    )


def householder(results: Results) -> str:
    """Figure 4, G against H."""
    pairs = {1: 42, 2: 85, 3: 128, 4: 170, 6: 256, 8: 341, 16: 682}
    H, G, best = (results.by_size(p) for p in ("h-s4-p", "g-paper-s4-m", "g-search-s4-m"))
    text = "; ".join(
        f"H_{p} {cell(H.get(p))}, G_{m} {cell(G.get(m))} (search {cell(best.get(m))})" for p, m in pairs.items()
    )
    low = all(G.get(m, 1.0) < H.get(p, 0.0) for p, m in list(pairs.items())[:3])
    edge = H.get(16, 1.0) < G.get(682, 0.0)
    measured = f"{text}; Q-DLA {cell(results.error('q-s4'))}."
    quote = (
        "for a low m the G-transform approach provides better results than the Householder "
        "approach [...] H_16 and G_682 "
        "[...] closely match the performance of [...] Q-DLA [...] the Householder approach keeps a slight edge."
    )
    return entry("VII, figure 4", quote, measured, verdict(low and edge, f"refined: low m {low}, edge of H_16 {edge}"))


def dct_matched(results: Results) -> str:
    """Figure 4, the DCT."""
    runs = [run["errors"] for name, run in results.runs.items() if name.startswith("triple-")]
    if not runs:
        return ""
    count = {
        key: sum(run["g85_paper"] <= run[key] for run in runs) for key in ("dct_8x8", "dct_64_rows", "dct_64_columns")
    }
    searched = sum(run["g85_search"] <= run["dct_8x8"] for run in runs)
    wide = sum(run["g128_search"] <= run["dct_8x8"] for run in runs)
    ours, reflectors = results.by_size("g-search-s4-m"), results.by_size("h-s4-p")
    measured = (
        f"On {len(runs)} data sets (images, mean removal) G_85 of Algorithm 1 is at or below the 8x8 "
        f"DCT on {count['dct_8x8']}, the 64-point DCT of the vectorized patch on {count['dct_64_rows']} (rows) and "
        f"{count['dct_64_columns']} (columns). With a short search G_85 is at or below the 8x8 DCT on "
        f"{searched}, G_128 on {wide}. Tried besides: random order, eight choices of signs of U, removal "
        f"of each patch's or each position's mean. On the paper's images: H_3 {cell(reflectors.get(3))}, "
        f"full search G_85 {cell(ours.get(85))} and G_128 {cell(ours.get(128), 2)}, 8x8 DCT "
        f"{cell(results.error('dct-s4'), 2)}, 64-point DCT {cell(results.error('dct-line-columns-s4'))}."
    )
    quote = (
        "the representation performance of the DCT is matched by H_3-DLA and G_85-DLA [...] "
        "any dictionary constructed by "
        "G_m-DLA for 85 <= m <= 128 is faster and provides better representations than the DCT."
    )
    word = "not reproduced for the 8x8 DCT; reproduced, roughly, for the 64-point DCT of the vectorized patch"
    return entry("VII, figure 4", quote, measured, verdict(count["dct_8x8"] == len(runs), word))


def r_against_g(results: Results) -> str:
    """Figure 5."""
    R, G = results.by_size("r-s4-m"), results.by_size("g-paper-s4-m")
    common = [m for m in G if m in R]
    q, dct = results.error("q-s4") or 0.0, results.error("dct-s4") or 0.0
    passes_q = min((m for m, e in R.items() if e < q), default=0)
    passes_dct = min((m for m, e in R.items() if e < dct), default=0)
    better = [m for m in common if R[m] < G[m]]
    line = results.error("dct-line-columns-s4")
    measured = (
        f"R_m is below G_m of Algorithm 1 at m = {better} of {common}. It passes Q-DLA ({cell(q)}) "
        f"at m = {passes_q}, the "
        f"8x8 DCT ({cell(dct)}) at m = {passes_dct}; R_50 is at {cell(R.get(50))}, beside the "
        f"64-point DCT's {cell(line)}."
    )
    quote = (
        "R_m-DLA always outperforms G_m-DLA [...] surpasses that of [...] Q-DLA. In our case "
        "this happens for m >= 256. The "
        "performance of the DCT is approximately matched by R_50-DLA."
    )
    return entry(
        "VII, figure 5", quote, measured, verdict(better == common and passes_q == 256 and passes_dct == 50, "refined")
    )


def large_m(results: Results) -> str:
    """Figure 6."""
    R, sk = results.by_size("r-s4-m"), results.error("sksvd-s4") or 0.0
    measured = (
        f"R_1364 {cell(R.get(1364))}, R_682 {cell(R.get(682))}, SK-SVD {cell(sk)}, Q-DLA {cell(results.error('q-s4'))}."
    )
    quote = (
        "The complexity of the dictionary designed via R_1364-DLA matches that of [...] SK-SVD "
        "while there is a small "
        "performance gap between the two."
    )
    gap = R.get(1364, 1.0) - sk
    return entry("VII, figure 6", quote, measured, verdict(0 <= gap < 0.03, f"refined: the gap is {cell(gap)} points"))


def pareto(results: Results) -> str:
    """Figure 7."""
    R = results.by_operations("r-s4-m")
    lines, wins = [], []
    for base, name in (("dct", "8x8 DCT"), ("dct-line", "64-point DCT")):
        for operations, error in results.by_operations(f"sparse-ksvd-{base}-s4-p").items():
            ours = min((e for o, e in R.items() if o <= operations), default=1.0)
            wins.append(ours < error)
            lines.append(f"{name}, {operations} operations: {cell(error)} against {cell(ours)}")
    measured = "Sparse K-SVD against the best R_m of no more operations: " + "; ".join(lines) + "."
    quote = (
        "R_m-DLA performs consistently better than the Sparse K-SVD for very fast transforms while the [...] gap [...]"
    )
    word = f"refined: R_m is better at {sum(wins)} of {len(wins)} points"
    return entry("VII, figure 7", quote, measured, verdict(bool(wins) and all(wins), word))


def one_by_one(results: Results) -> str:
    """Remark 5."""
    run = results.get("remark-5")
    if run is None:
        return ""
    measured = "G_128: " + "; ".join(f"{name} {cell(error)}" for name, error in run.items()) + "."
    quote = (
        "We expect G_m-DLA, as it is, to produce better results [...] due to the one-by-one transform update mechanism."
    )
    return entry("IV, Remark 5", quote, measured, verdict(run["one by one"] == min(run.values()), "refined"))


def running_time(results: Results) -> str:
    """Compare the running times."""
    run = results.get("times")
    if run is None:
        return ""
    measured = "; ".join(f"{name}: {seconds:.2f} s" for name, seconds in run["seconds"].items()) + " (medians)."
    quote = "G_128-DLA takes several minutes to terminate while R_128-DLA's running time is close to ten minutes."
    return entry("VII", quote, measured, "refined: a compiled implementation takes seconds, as the paper expects")


CLAIMS: tuple[Claim, ...] = (
    construction,
    monotone,
    diminishing,
    householder,
    dct_matched,
    r_against_g,
    large_m,
    pareto,
    one_by_one,
    running_time,
)
