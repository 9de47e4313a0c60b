/** Stable, part of the API: what a client does about it depends on this, never on the text. */
export type FieldReason =
  | 'required'
  | 'unknown_field'
  | 'wrong_type'
  /** Of numbers. */
  | 'out_of_range'
  /** Of texts and lists. */
  | 'too_short'
  | 'too_long'
  /** None of the values that are allowed here. */
  | 'not_allowed'
  /** Names nothing that exists. */
  | 'not_found'
  /** Not together with another field. */
  | 'conflicting'
  | 'read_only'
  /** What it is already. */
  | 'unchanged'
  | 'in_past'
  /** A password or code that does not match. */
  | 'wrong'
  | 'insufficient'
  /** Any other rule of the field. */
  | 'invalid';

interface ReasonedProblem {
  readonly reason: FieldReason;
  /** Continues the name of the field. */
  readonly message: string;
}

/** Text alone has the reason `invalid`. */
export type FieldProblem = string | ReasonedProblem;

/** By field, in the terms of the API: `price.amount`. */
export type FieldMessages = Record<string, FieldProblem[]>;

export function fieldProblem(reason: FieldReason, message: string): FieldProblem {
  return { reason, message };
}

/** Says nothing twice. The name may be the client's: assignment could reach a setter. */
export function addProblem(fields: FieldMessages, name: string, problem: FieldProblem): void {
  if (!Object.hasOwn(fields, name)) {
    Object.defineProperty(fields, name, { value: [], enumerable: true, configurable: true, writable: true });
  }
  const known = fields[name] ?? [];
  if (!known.some((each) => messageOfProblem(each) === messageOfProblem(problem))) known.push(problem);
}

function messageOfProblem(problem: FieldProblem): string {
  return typeof problem === 'string' ? problem : problem.message;
}

/** Texts and reasons by field, in one order. */
export function describeProblems(fields: Readonly<Record<string, readonly FieldProblem[]>>) {
  const by = <T>(read: (problem: FieldProblem) => T) =>
    Object.fromEntries(Object.entries(fields).map(([name, problems]) => [name, problems.map(read)]));
  return {
    fields: by(messageOfProblem),
    reasons: by((problem): FieldReason => (typeof problem === 'string' ? 'invalid' : problem.reason)),
  };
}
