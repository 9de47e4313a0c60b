/** Facts about a failing test, one line; may be empty. */
type FailureNote = () => string;

const notes = new Set<FailureNote>();

/** Adds a note to each later test failure until the returned function is called. */
export function noteOnFailure(note: FailureNote): () => void {
  notes.add(note);
  return () => notes.delete(note);
}

/** Notes on a current failure. */
export function failureNotes(): string {
  return [...notes]
    .map((note) => note())
    .filter((text) => text !== '')
    .join('; ');
}
