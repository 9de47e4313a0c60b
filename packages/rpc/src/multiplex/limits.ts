/** gRPC's message limit, here and in `server.ts`. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Approximate, for fairness among peers. */
export const messageBytes = 512 * 1024;

/** Larger requests are sent natively: they would delay small ones. */
export const maxRequestBytes = 256 * 1024;

/** Upper estimate per frame: method, actor, ids. */
export const frameOverheadBytes = 1_024;

/** Calls in progress per stream at the client (TOO_MANY_CALLS). */
export const maxClientCalls = 16_384;

/** At the server, reached only by broken or malicious clients. */
export const maxServerCalls = 32_768;

/** Answers that a client does not read. */
export const maxUnreadBytes = 64 * 1024 * 1024;

/** Call numbers are 32 bits. */
export const maxCallId = 2 ** 31;
