/** The browser moves large blobs to disk; `onProgress` gets the bytes so far. */
export async function readBlob(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  if (!response.body) return response.blob();
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
  const { headers } = response;
  return new Response(response.body.pipeThrough(counter), {
    headers: { 'content-type': headers.get('content-type') ?? 'application/octet-stream' },
  }).blob();
}
