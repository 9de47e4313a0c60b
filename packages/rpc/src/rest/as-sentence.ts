/** "the server runs already" becomes "The server runs already." A leading name keeps its case. */
export function asSentence(clause: string): string {
  const text = clause.trim();
  if (text === '') return text;
  const sentence = /^[a-z]+(?=[ ,:;']|\.?$)/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
