/** What one value of `details.reason` says. */
interface ReasonEntry {
  readonly status: 400 | 401 | 403 | 409 | 503;
  /** Clauses, as a table shows them. */
  readonly meaning: string;
  readonly advice: string;
}

/** Reasons by name, as they stand in `details.reason`. */
export type ReasonEntries = Readonly<Record<string, ReasonEntry>>;

/** Endpoints ("POST /api/v1/…") with the reasons that they alone have. */
export type EndpointReasons<Name extends string> = Readonly<Record<string, readonly Name[]>>;

const of = (status: ReasonEntry['status']) => (meaning: string, advice: string) => ({ status, meaning, advice });

export const badRequest = of(400);
export const unauthorized = of(401);
export const forbidden = of(403);
export const conflict = of(409);
export const unavailable = of(503);

export const retry = 'repeat the request';
export const retryLater = 'repeat the request in a moment';
