/** Facts about what a failing test was about, in one line; empty when there is nothing to say. */
type FailureNote = () => string;

const notes = new Set<FailureNote>();

/** Adds a note to the error of every test that fails from here on, until the returned function is called. */
export function noteOnFailure(note: FailureNote): () => void {
  notes.add(note);
  return () => notes.delete(note);
}

/** What there is to say about a failure that has just happened. */
export function failureNotes(): string {
  return [...notes]
    .map((note) => note())
    .filter((text) => text !== '')
    .join('; ');
}
