import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Of the first page. */
export async function pdfText(file: Uint8Array): Promise<string> {
  const document = await getDocument({ data: new Uint8Array(file), verbosity: 0 }).promise;
  const { items } = await (await document.getPage(1)).getTextContent();
  await document.loadingTask.destroy();
  const text = items.map((item) => ('str' in item ? item.str : '')).join('');
  return text.replaceAll('\u00a0', ' ');
}
