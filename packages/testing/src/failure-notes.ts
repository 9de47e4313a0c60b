type FailureNote = () => string;

const notes = new Set<FailureNote>();

/** For each later failure until the returned function is called. */
export function noteOnFailure(note: FailureNote): () => void {
  notes.add(note);
  return () => notes.delete(note);
}

export function failureNotes(): string {
  return [...notes]
    .map((note) => note())
    .filter((text) => text !== '')
    .join('; ');
}
