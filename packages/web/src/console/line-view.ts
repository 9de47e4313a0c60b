import { type LineRing } from '../server/console-session/line-ring.js';
import { type Row, RowMap } from './row-map.js';
import { isCut, parseLine, plainText, type Segment } from './sgr.js';

interface ViewOptions {
  readonly ring: LineRing;
  /** The scrolling element. */
  readonly frame: HTMLElement;
  readonly formatTime: (at: number) => string;
  readonly onFollow: (follows: boolean) => void;
  readonly onMark: (line: number, isRange: boolean) => void;
  /** The oldest retained line is visible. */
  readonly onTop?: () => void;
  /** For lines that the panel has cut. */
  readonly whole?: { readonly label: string; readonly onAsk: (line: number) => void };
}

interface ShownRow {
  readonly element: HTMLElement;
  readonly time: HTMLElement;
  readonly text: HTMLElement;
  readonly whole: HTMLElement;
  key: string;
}

export interface LineFilter {
  readonly test: (text: string) => boolean;
}

const spareRows = 12;
/** At the end, rows above are soon rewritten. */
const spareRowsAtEnd = 3;
/** Positions are rounded. */
const movedPixels = 1;

/** Only visible rows are elements, written once a frame as text nodes. Scrolling up ends following. */
export class LineView {
  readonly #options: ViewOptions;
  readonly #rows: RowMap;
  readonly #space = document.createElement('div');
  readonly #window = document.createElement('div');
  readonly #shown: ShownRow[] = [];
  readonly #resized: ResizeObserver;
  #frame = 0;
  #follows = true;
  /** The view's own last position; any other is the user's scroll. */
  #top = 0;
  #height = 0;
  #timeOf = { second: NaN, text: '' };
  #lineHeight = 19;
  #columns = 0;
  #isWrapped = false;
  #isFolded = false;
  #replacements = 0;
  #filter: LineFilter | null = null;
  #context = 0;
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

  changed(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  setWrap(isWrapped: boolean): void {
    this.#isWrapped = isWrapped;
    this.#measure();
  }

  setFolded(isFolded: boolean): void {
    this.#isFolded = isFolded;
    this.#configure();
  }

  /** With `context` lines around each match. */
  setFilter(filter: LineFilter | null, context = 0): void {
    this.#filter = filter;
    this.#context = context;
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

  /** Call after a style change, such as the font size. */
  restyle(): void {
    this.#measure();
  }

  /** The visible lines stay in place. */
  prepended(): void {
    const before = this.#rows.count;
    this.#rows.rebuild();
    this.#space.style.height = `${this.#rows.count * this.#lineHeight}px`;
    this.#scrollTo(this.#options.frame.scrollTop + (this.#rows.count - before) * this.#lineHeight);
    this.changed();
  }

  follow(): void {
    this.#setFollows(true);
    this.changed();
  }

  show(line: number): void {
    this.#setFollows(false);
    this.#rows.update();
    const { frame } = this.#options;
    this.#space.style.height = `${this.#rows.count * this.#lineHeight}px`;
    this.#scrollTo(Math.max(0, this.#rows.indexOf(line) * this.#lineHeight - frame.clientHeight / 2));
    this.changed();
  }

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
    const moved = frame.scrollTop - this.#top;
    this.#top = frame.scrollTop;
    if (Math.abs(moved) > movedPixels) {
      const isAtEnd = frame.scrollHeight - frame.scrollTop - frame.clientHeight < this.#lineHeight * 2;
      // Growing content and a shrinking frame also move the end.
      if (isAtEnd) this.#setFollows(true);
      else if (moved < 0) this.#setFollows(false);
    }
    if (!this.#follows && frame.scrollTop < this.#lineHeight) this.#options.onTop?.();
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

  /** Line height and columns, from a probe row. */
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
    this.#height = this.#options.frame.clientHeight;
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
    const columns = this.#isWrapped ? this.#columns : 0;
    this.#rows.configure({ filter: test, columns, context: this.#context, isFolded: this.#isFolded });
    this.#redrawAll();
  }

  #redrawAll(): void {
    this.#version += 1;
    this.changed();
  }

  #takeReplaced(): void {
    const { ring } = this.#options;
    if (ring.replacements === this.#replacements) return;
    this.#rows.rewind(ring.replacedAfter(this.#replacements));
    this.#replacements = ring.replacements;
    this.#version += 1;
  }

  #draw(): void {
    const { frame } = this.#options;
    this.#takeReplaced();
    const lost = this.#rows.update();
    const { count } = this.#rows;
    this.#space.style.height = `${count * this.#lineHeight}px`;
    if (this.#follows) {
      this.#drawRows(count - Math.ceil(this.#height / this.#lineHeight) - spareRowsAtEnd, count);
      // After the rows are written, for a single layout.
      this.#scrollTo(frame.scrollTop + (count + 2) * this.#lineHeight);
    } else {
      if (lost > 0) this.#scrollTo(frame.scrollTop - lost * this.#lineHeight);
      const first = Math.floor(frame.scrollTop / this.#lineHeight);
      const last = Math.ceil((frame.scrollTop + frame.clientHeight) / this.#lineHeight);
      this.#drawRows(first - spareRows, Math.min(count, last + spareRows));
    }
    this.#frame = 0;
  }

  #scrollTo(top: number): void {
    this.#options.frame.scrollTop = top;
    this.#top = this.#options.frame.scrollTop;
  }

  #drawRows(first: number, to: number): void {
    const from = Math.max(0, first);
    this.#window.style.transform = `translateY(${from * this.#lineHeight}px)`;
    for (let index = from; index < to; index++) this.#fill(index - from, this.#rows.rowAt(index));
    while (this.#shown.length > Math.max(0, to - from)) this.#shown.pop()?.element.remove();
  }

  #fill(slot: number, row: Row): void {
    const key = `${row.line}.${row.part}.${this.#version}.${this.#rows.countAt(row.line)}`;
    let shown = this.#shown[slot];
    if (shown === undefined) {
      const element = document.createElement('div');
      element.className = 'console-row';
      const [time, text] = [document.createElement('time'), document.createElement('span')];
      const whole = document.createElement('span');
      whole.className = 'console-whole';
      element.append(time, text, whole);
      this.#window.append(element);
      shown = { element, time, text, whole, key: '' };
      this.#shown[slot] = shown;
    }
    if (shown.key === key) return;
    shown.key = key;
    this.#write(shown, row);
  }

  /** Cached, because floods repeat it. */
  #timeText(at: number): string {
    const second = Math.floor(at / 1_000);
    if (this.#timeOf.second !== second) this.#timeOf = { second, text: this.#options.formatTime(at) };
    return this.#timeOf.text;
  }

  #write({ element, time, text, whole }: ShownRow, { line, part }: Row): void {
    const { ring } = this.#options;
    const formatted = this.#timeText(ring.timeAt(line));
    time.textContent = part === 0 ? formatted : ' '.repeat(formatted.length);
    const raw = ring.rawAt(line);
    let segments = parseLine(raw);
    if (this.#isWrapped) segments = cut(segments, part * this.#columns, this.#columns);
    text.replaceChildren(...segments.map(toNode));
    whole.replaceChildren(...(part === 0 ? this.#wholeOf(line) : []));
    const count = this.#rows.countAt(line);
    if (count > 1 && part === 0) text.append(repeats(count));
    const isMarked = this.#marked !== null && line >= this.#marked[0] && line <= this.#marked[1];
    element.dataset.line = String(line);
    element.toggleAttribute('data-hit', this.#search !== null && this.#search.test(plainText(raw)));
    element.toggleAttribute('data-marked', isMarked);
    element.toggleAttribute('data-notice', ring.kindAt(line) !== 'game');
  }

  #wholeOf(line: number): HTMLElement[] {
    const { ring, whole } = this.#options;
    if (!whole || ring.seqAt(line) === 0 || !isCut(ring.rawAt(line))) return [];
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = whole.label;
    button.addEventListener('click', () => whole.onAsk(line));
    return [button];
  }
}

function repeats(count: number): HTMLElement {
  const element = document.createElement('span');
  element.className = 'console-repeats';
  element.textContent = `×${count}`;
  return element;
}

function toNode({ text, classes, link }: Segment): Node {
  if (classes === '' && link === undefined) return document.createTextNode(text);
  const element = document.createElement(link === undefined ? 'span' : 'a');
  element.className = classes;
  element.textContent = text;
  if (element instanceof HTMLAnchorElement && link !== undefined) {
    element.href = link;
    element.title = link;
    element.target = '_blank';
    element.rel = 'noopener noreferrer';
  }
  return element;
}

/** The segments of `length` characters from `start`. */
function cut(segments: readonly Segment[], start: number, length: number): Segment[] {
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
