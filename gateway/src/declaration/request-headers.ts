/** Beside those of every route. */
export const requestHeaders = {
  'If-Match':
    'Only when the file is of one of these versions: its `ETag`, or its SHA-256, or several; `*`: when it exists.',
  'If-None-Match': 'Only when it is of none of these versions: an `ETag`, or several.',
  'If-Range': 'The part only when it is of this version, else all of it: an `ETag`.',
  Range: 'Only this part of the bytes, like `bytes=0-1023`.',
  'Tus-Resumable': 'The version of the tus protocol: `1.0.0`.',
  'Upload-Length': 'Bytes of the whole upload.',
  'Upload-Metadata': 'Names with values in base64; `filename` is the name of the file.',
  'Upload-Offset': 'Where in the upload the piece begins, in bytes.',
} as const;

export type RequestHeader = keyof typeof requestHeaders;
