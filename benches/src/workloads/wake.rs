//! Two tasks that wake each other by nothing but their wakers.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::bare::by_turns;
use super::{About, Bare, Figures, Plan, Round, Runtime, rounds};

pub(super) const ABOUT: About = About {
    name: "wake",
    summary: "two tasks wake each other in turn by their wakers alone, 20,000 times; per wake",
    size: 20_000,
    rounds: 10,
    bare: Some(Bare::Round(bare)),
};

pub(super) fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Figures {
    rounds::in_task(runtime, plan, &ABOUT, round::<R>)
}

async fn round<R: Runtime>(size: usize) -> Round {
    let (even, odd) = players(size);
    let start = Instant::now();
    let (even, odd) = (R::spawn(even), R::spawn(odd));
    let moves = even.await + odd.await;
    let round = Round::since(start, size);
    assert_eq!(moves, size, "the moves of both");
    round
}

fn bare(size: usize) -> Round {
    let (even, odd) = players(size);
    let start = Instant::now();
    let (even, odd) = by_turns(even, odd);
    let round = Round::since(start, size);
    assert_eq!(even + odd, size, "the moves of both");
    round
}

/// The turn, and the waker of the player that waits for it.
#[derive(Default)]
struct Board {
    moves: usize,
    waiting: Option<Waker>,
}

/// Moves whenever the number of moves is even, or odd; gives back how often it has moved.
struct Player {
    board: Arc<Mutex<Board>>,
    parity: usize,
    /// The number of moves of both at which the game is over.
    end: usize,
    moved: usize,
}

fn players(moves: usize) -> (Player, Player) {
    let board = Arc::new(Mutex::new(Board::default()));
    let player = |parity| Player { board: Arc::clone(&board), parity, end: moves, moved: 0 };
    (player(0), player(1))
}

impl Future for Player {
    type Output = usize;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        let this = self.get_mut();
        let mut board = this.board.lock().expect("no holder of the lock panics");
        let mut partner = None;
        if board.moves < this.end && board.moves % 2 == this.parity {
            board.moves += 1;
            this.moved += 1;
            partner = board.waiting.take();
        }
        let is_over = board.moves == this.end;
        if !is_over {
            board.waiting = Some(context.waker().clone());
        }
        // The partner may run at once: it must find the lock free.
        drop(board);
        if let Some(partner) = partner {
            partner.wake();
        }
        if is_over { Poll::Ready(this.moved) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_players_move_in_turn() {
        let (even, odd) = players(5);
        assert_eq!(by_turns(even, odd), (3, 2));
    }
}
