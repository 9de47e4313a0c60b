/** Takes one line for the operator's eyes, without the line end. */
export type LogLine = (line: string) => void;

export const silent: LogLine = () => undefined;

/** A failure whose message is the one line an operator needs: what is wrong and what to do. No stack is shown. */
export class OperatorError extends Error {}
