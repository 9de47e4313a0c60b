/**
 * Read an answer to its end. The browser keeps the bytes and moves them to its disk when they are many; `onProgress` gets
 * how many there are so far.
 */
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
