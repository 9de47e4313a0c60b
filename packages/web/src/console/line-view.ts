import { type LineRing } from './line-ring.js';
import { type Row, RowMap } from './row-map.js';
import { parseLine, plainText, type Segment } from './sgr.js';

interface ViewOptions {
  readonly ring: LineRing;
  /** The scrolling element. */
  readonly frame: HTMLElement;
  readonly formatTime: (at: number) => string;
  readonly onFollow: (follows: boolean) => void;
  readonly onMark: (line: number, isRange: boolean) => void;
}

export interface LineFilter {
  readonly test: (text: string) => boolean;
}

const spareRows = 12;

/**
 * Shows a ring of lines. Only rows that are seen are elements; they are written once a frame, as text nodes. Following the
 * end stops when the person scrolls up.
 */
export class LineView {
  readonly #options: ViewOptions;
  readonly #rows: RowMap;
  readonly #space = document.createElement('div');
  readonly #window = document.createElement('div');
  readonly #shown: { element: HTMLElement; key: string }[] = [];
  readonly #resized: ResizeObserver;
  #frame = 0;
  #follows = true;
  #lineHeight = 19;
  #columns = 0;
  #isWrapped = false;
  #filter: LineFilter | null = null;
  #search: LineFilter | null = null;
  #marked: readonly [number, number] | null = null;
  #version = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#rows = new RowMap(options.ring, (line) => plainText(options.ring.rawAt(line)).length);
    this.#space.className = 'console-space';
    this.#window.className = 'console-window';
    this.#space.append(this.#window);
    options.frame.replaceChildren(this.#space);
    options.frame.addEventListener('scroll', this.#onScroll, { passive: true });
    this.#window.addEventListener('click', this.#onClick);
    this.#resized = new ResizeObserver(() => this.#measure());
    this.#resized.observe(options.frame);
    this.#measure();
  }

  get rowCount(): number {
    return this.#rows.count;
  }

  /** Something was appended. */
  changed(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  setWrap(isWrapped: boolean): void {
    this.#isWrapped = isWrapped;
    this.#measure();
  }

  setFilter(filter: LineFilter | null): void {
    this.#filter = filter;
    this.#configure();
  }

  setSearch(search: LineFilter | null): void {
    this.#search = search;
    this.#redrawAll();
  }

  setMarked(range: readonly [number, number] | null): void {
    this.#marked = range;
    this.#redrawAll();
  }

  /** Font size or anything else about the look has changed. */
  restyle(): void {
    this.#measure();
  }

  follow(): void {
    this.#setFollows(true);
    this.changed();
  }

  /** Scroll a line to the middle. */
  show(line: number): void {
    this.#setFollows(false);
    this.#rows.update();
    const { frame } = this.#options;
    this.#space.style.height = `${this.#rows.count * this.#lineHeight}px`;
    frame.scrollTop = Math.max(0, this.#rows.indexOf(line) * this.#lineHeight - frame.clientHeight / 2);
    this.changed();
  }

  /** Number of the line in the middle. */
  get middleLine(): number {
    const { frame } = this.#options;
    const index = Math.floor((frame.scrollTop + frame.clientHeight / 2) / this.#lineHeight);
    return this.#rows.rowAt(Math.max(0, Math.min(index, this.#rows.count - 1))).line;
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
    this.#options.frame.removeEventListener('scroll', this.#onScroll);
    this.#options.frame.replaceChildren();
  }

  readonly #onScroll = (): void => {
    const { frame } = this.#options;
    const fromEnd = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    // While lines arrive, the height grows before the position does: only a real distance is the person's.
    if (this.#frame === 0) this.#setFollows(fromEnd < this.#lineHeight * 2);
    this.changed();
  };

  readonly #onClick = (event: MouseEvent): void => {
    const time = event.target instanceof Element ? event.target.closest('time') : null;
    const line = Number(time?.parentElement?.dataset.line ?? NaN);
    if (!Number.isNaN(line)) this.#options.onMark(line, event.shiftKey);
  };

  #setFollows(follows: boolean): void {
    if (this.#follows === follows) return;
    this.#follows = follows;
    this.#options.onFollow(follows);
  }

  /** Line height and columns, from a row that is made for it. */
  #measure(): void {
    const probe = document.createElement('div');
    probe.className = 'console-row';
    const text = document.createElement('span');
    text.textContent = '0'.repeat(100);
    probe.append(text);
    this.#window.append(probe);
    const box = text.getBoundingClientRect();
    const style = getComputedStyle(probe);
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const timeWidth = this.#timeWidth(probe);
    this.#lineHeight = parseFloat(getComputedStyle(this.#options.frame).lineHeight) || box.height || 19;
    this.#columns = Math.max(
      20,
      Math.floor((this.#options.frame.clientWidth - padding - timeWidth) / (box.width / 100 || 8)),
    );
    probe.remove();
    this.#configure();
  }

  #timeWidth(probe: HTMLElement): number {
    const time = document.createElement('time');
    time.textContent = this.#options.formatTime(0);
    probe.prepend(time);
    const width = time.getBoundingClientRect().width;
    return width === 0 ? 0 : width + parseFloat(getComputedStyle(probe).columnGap || '0');
  }

  #configure(): void {
    const { ring } = this.#options;
    const filter = this.#filter;
    const test = filter === null ? null : (line: number) => filter.test(plainText(ring.rawAt(line)));
    this.#rows.configure(test, this.#isWrapped ? this.#columns : 0);
    this.#redrawAll();
  }

  #redrawAll(): void {
    this.#version += 1;
    this.changed();
  }

  #draw(): void {
    const { frame } = this.#options;
    const lost = this.#rows.update();
    const { count } = this.#rows;
    this.#space.style.height = `${count * this.#lineHeight}px`;
    if (this.#follows) frame.scrollTop = frame.scrollHeight;
    else if (lost > 0) frame.scrollTop -= lost * this.#lineHeight;
    const from = Math.max(0, Math.floor(frame.scrollTop / this.#lineHeight) - spareRows);
    const to = Math.min(count, Math.ceil((frame.scrollTop + frame.clientHeight) / this.#lineHeight) + spareRows);
    this.#window.style.transform = `translateY(${from * this.#lineHeight}px)`;
    for (let index = from; index < to; index++) this.#fill(index - from, this.#rows.rowAt(index));
    while (this.#shown.length > Math.max(0, to - from)) this.#shown.pop()?.element.remove();
    this.#frame = 0;
  }

  #fill(slot: number, row: Row): void {
    const key = `${row.line}.${row.part}.${this.#version}`;
    let shown = this.#shown[slot];
    if (shown === undefined) {
      const element = document.createElement('div');
      element.className = 'console-row';
      this.#window.append(element);
      shown = { element, key: '' };
      this.#shown[slot] = shown;
    }
    if (shown.key === key) return;
    shown.key = key;
    this.#write(shown.element, row);
  }

  #write(element: HTMLElement, { line, part }: Row): void {
    const { ring, formatTime } = this.#options;
    const time = document.createElement('time');
    const at = ring.timeAt(line);
    const formatted = formatTime(at);
    time.textContent = part === 0 ? formatted : ' '.repeat(formatted.length);
    const text = document.createElement('span');
    const raw = ring.rawAt(line);
    let segments = parseLine(raw);
    if (this.#isWrapped) segments = cut(segments, part * this.#columns, this.#columns);
    text.append(...segments.map(toNode));
    const isMarked = this.#marked !== null && line >= this.#marked[0] && line <= this.#marked[1];
    element.dataset.line = String(line);
    element.toggleAttribute('data-hit', this.#search !== null && this.#search.test(plainText(raw)));
    element.toggleAttribute('data-marked', isMarked);
    element.toggleAttribute('data-notice', ring.kindAt(line) !== 'game');
    element.replaceChildren(time, text);
  }
}

function toNode({ text, classes, link }: Segment): Node {
  if (classes === '' && link === undefined) return document.createTextNode(text);
  const element = document.createElement(link === undefined ? 'span' : 'a');
  element.className = classes;
  element.textContent = text;
  if (element instanceof HTMLAnchorElement && link !== undefined) {
    element.href = link;
    element.target = '_blank';
    element.rel = 'noopener noreferrer';
  }
  return element;
}

/** The segments of `length` characters from `start`. */
export function cut(segments: readonly Segment[], start: number, length: number): Segment[] {
  const result: Segment[] = [];
  let at = 0;
  for (const segment of segments) {
    const from = Math.max(0, start - at);
    const to = Math.min(segment.text.length, start + length - at);
    if (from < to) result.push({ ...segment, text: segment.text.slice(from, to) });
    at += segment.text.length;
  }
  return result;
}
