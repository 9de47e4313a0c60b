/** Of successful responses, beside the common ones. */
export const ownHeaders = {
  'Accept-Ranges': 'Whether parts can be asked for: `bytes` or `none`.',
  'Cache-Control': 'How long it may be kept.',
  'Content-Disposition': 'The name to save it under.',
  'Content-Range': 'Which part this is, and the size of all.',
  'Content-Security-Policy': 'What the page may do.',
  ETag: 'The version, for `If-None-Match` and `If-Range`.',
  'Idempotent-Replayed': '`true` for the first answer to this `Idempotency-Key`, sent again.',
  Location: 'The address of what was created.',
  'Set-Cookie': 'The refresh token of a page of the panel, or its removal.',
  'Tus-Resumable': 'The version of the tus protocol.',
  'Upload-Expires': 'Until when an unfinished upload is kept.',
  'Upload-Length': 'Bytes of the whole upload.',
  'Upload-Metadata': 'What the client said of the upload when it began.',
  'Upload-Offset': 'Bytes that have arrived.',
} as const;

export type OwnHeader = keyof typeof ownHeaders;

/** With ranges and conditions. */
export const downloadHeaders: readonly OwnHeader[] = ['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag'];
