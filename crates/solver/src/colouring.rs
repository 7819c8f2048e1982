//! Blocks sorted into colours, so that no two of a colour act on each other: they may change at the same time.
//!
//! Greedy in the order of the blocks: each gets the first colour that none of its neighbours has. A contact of two bodies
//! with at most d contacts each gets one of the first 2d − 1. A body with very many contacts needs as many colours as it has
//! contacts; most of those hold a few blocks only and are then as good as visited one after the other.

/// The blocks colour by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colouring {
    /// Blocks of the first colour, then of the second, …; ascending within a colour.
    pub(crate) order: Vec<u32>,
    /// Where each colour begins in `order`, and its end.
    pub(crate) start: Vec<usize>,
}

impl Colouring {
    /// Number of colours.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Sorts blocks by colour; the sort is stable.
    fn sort(&mut self, colours: &[u32], fill: &mut Vec<usize>) {
        let Self { order, start } = self;
        let count = colours.iter().max().map_or(0, |most| *most as usize + 1);
        start.clear();
        start.resize(count + 1, 0);
        colours.iter().for_each(|&colour| start[colour as usize + 1] += 1);
        for colour in 0..count {
            start[colour + 1] += start[colour];
        }
        fill.clone_from(start);
        order.clear();
        order.resize(colours.len(), 0);
        for (block, &colour) in colours.iter().enumerate() {
            order[fill[colour as usize]] = block as u32;
            fill[colour as usize] += 1;
        }
    }
}

/// Colours for blocks one after the other, with the room that takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Greedy {
    /// The colours of a body: the first 64 as bits, the rest in `more`.
    low: Vec<u64>,
    more: Vec<Colours>,
    taken: Colours,
    colours: Vec<u32>,
    fill: Vec<usize>,
}

/// A set of colours, one bit each.
#[derive(Clone, Debug, Default)]
struct Colours(Vec<u64>);

impl Colours {
    fn insert(&mut self, colour: u32) {
        let word = colour as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (colour % 64);
    }
    fn unite(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    fn first_missing(&self) -> u32 {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        64 * full as u32 + self.0.get(full).map_or(0, |word| word.trailing_ones())
    }
}

impl Greedy {
    /// The colours found last, block by block.
    pub(crate) fn colours(&self) -> &[u32] {
        &self.colours
    }

    /// Colours such that no two blocks of one touch the same body.
    pub(crate) fn colour<I: Iterator<Item = usize>>(
        &mut self,
        blocks: usize,
        bodies: usize,
        bodies_of: impl Fn(usize) -> I,
        out: &mut Colouring,
    ) {
        let Self { low, more, taken, colours, fill } = self;
        low.clear();
        low.resize(bodies, 0);
        // Bodies with more than 64 colours are few: their sets are kept for the next time, emptied.
        more.iter_mut().for_each(|set| set.0.clear());
        colours.clear();
        for block in 0..blocks {
            let free = !bodies_of(block).fold(0, |taken, body| taken | low[body]);
            let colour = if free != 0 {
                free.trailing_zeros()
            } else {
                taken.0.clear();
                bodies_of(block).filter(|&body| body < more.len()).for_each(|body| taken.unite(&more[body]));
                64 + taken.first_missing()
            };
            for body in bodies_of(block) {
                if colour < 64 {
                    low[body] |= 1 << colour;
                } else {
                    if more.len() <= body {
                        more.resize(body + 1, Colours::default());
                    }
                    more[body].insert(colour - 64);
                }
            }
            colours.push(colour);
        }
        out.sort(colours, fill);
    }

    /// Colours such that no two blocks of one are coupled; `earlier(block)` are blocks before it that it is coupled with.
    pub(crate) fn colour_coupled<I: Iterator<Item = usize>>(
        &mut self,
        blocks: usize,
        earlier: impl Fn(usize) -> I,
        out: &mut Colouring,
    ) {
        let Self { taken, colours, fill, .. } = self;
        colours.clear();
        for block in 0..blocks {
            taken.0.clear();
            earlier(block).for_each(|other| taken.insert(colours[other]));
            colours.push(taken.first_missing());
        }
        out.sort(colours, fill);
    }
}
