/** Takes one line for the operator, without the line end. */
export type LogLine = (line: string) => void;

export const silent: LogLine = () => undefined;

/** Its message is the operator's one line: problem and remedy. Shown without a stack. */
export class OperatorError extends Error {}
