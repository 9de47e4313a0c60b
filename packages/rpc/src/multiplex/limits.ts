/** gRPC's message limit, here and in `server.ts`. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Approximate message size, so that one peer cannot delay others' frames. */
export const messageBytes = 512 * 1024;

/** Larger requests are sent natively, because they would delay small ones. */
export const maxRequestBytes = 256 * 1024;

/** Upper estimate per frame: method, actor, ids. */
export const frameOverheadBytes = 1_024;

/** Client limit of calls in progress per stream (TOO_MANY_CALLS). */
export const maxClientCalls = 16_384;

/** Server limit, reached only by broken or malicious clients. */
export const maxServerCalls = 32_768;

/** Server limit of answers that a client does not read. */
export const maxUnreadBytes = 64 * 1024 * 1024;

/** Call numbers are 32 bits; a stream is replaced before their end. */
export const maxCallId = 2 ** 31;
