/**
 * The sentence for a clause. Errors are thrown with clauses ("the server runs already"), which a log line continues; people
 * read a sentence ("The server runs already."). A name at the beginning stays as it is written.
 */
export function asSentence(clause: string): string {
  const text = clause.trim();
  if (text === '') return text;
  const sentence = /^[a-z]+(?=[ ,:;']|\.?$)/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
