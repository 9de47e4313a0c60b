import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
}

/** Of the first page, in the order in which they are drawn. */
export async function placedTexts(file: Uint8Array): Promise<PlacedText[]> {
  const document = await getDocument({ data: new Uint8Array(file), verbosity: 0 }).promise;
  const { items } = await (await document.getPage(1)).getTextContent();
  await document.loadingTask.destroy();
  return items.flatMap((item) => {
    if (!('str' in item)) return [];
    const [x, y] = [Number(item.transform[4]), Number(item.transform[5])];
    return [{ text: item.str, x, right: x + item.width, y }];
  });
}

/** Of the first page. */
export async function pdfText(file: Uint8Array): Promise<string> {
  const texts = await placedTexts(file);
  return texts
    .map(({ text }) => text)
    .join('')
    .replaceAll('\u00a0', ' ');
}
