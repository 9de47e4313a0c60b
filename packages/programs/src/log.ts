/** Takes one line for the operator, without the line end. */
export type LogLine = (line: string) => void;

export const silent: LogLine = () => undefined;

/** Its message is one line with problem and remedy, shown without a stack. */
export class OperatorError extends Error {}
