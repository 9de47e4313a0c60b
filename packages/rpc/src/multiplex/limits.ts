/** What gRPC lets one message have, here and in `server.ts`. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Frames of one turn are written in messages of about this size, so that one peer cannot hold up the others' frames. */
export const messageBytes = 512 * 1024;

/** Requests above this go their own native way: they would hold up the small ones behind them. */
export const maxRequestBytes = 256 * 1024;

/** What a frame adds to its payload, generously: method, actor, ids. */
export const frameOverheadBytes = 1_024;

/** Calls in progress on one stream at its client; more are refused there (TOO_MANY_CALLS). */
export const maxClientCalls = 16_384;

/** The same at the server, where only a broken or malicious client gets. */
export const maxServerCalls = 32_768;

/** Answers a server keeps for a client that does not read them. */
export const maxUnreadBytes = 64 * 1024 * 1024;

/** Call numbers are 32 bits; a stream that comes near the end is replaced. */
export const maxCallId = 2 ** 31;
