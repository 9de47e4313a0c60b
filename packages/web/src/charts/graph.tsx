import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import '../style/graphs.css';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useI18n } from '../i18n/i18n.js';

export interface Mark {
  readonly at: number;
  readonly label: string;
  readonly tone: 'bad' | 'plain';
}

interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface GraphProps {
  readonly title: string;
  /** Milliseconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly limit: number | null;
  readonly marks: readonly Mark[];
  readonly format: (value: number) => string;
  /** Grid lines at powers of two. */
  readonly isBytes?: boolean;
  readonly onPick: (at: number) => void;
}

interface Format {
  readonly format: (value: number) => string;
  readonly locale: string;
  readonly isBytes: boolean;
}

interface Drawn {
  readonly limit: number | null;
  readonly marks: readonly Mark[];
}

export function Graph({ title, times, series, limit, marks, format, isBytes = false, onPick }: GraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const drawn = useRef<Drawn>({ limit, marks });
  const pick = useEffectEvent(onPick);
  const { locale } = useI18n();
  const names = series.map(({ label }) => label).join('\n');
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const created = createPlot(element, names.split('\n'), { format, locale, isBytes }, drawn);
    plot.current = created;
    const onClick = (): void => {
      const { left = -1 } = created.cursor;
      if (left !== null && left >= 0) pick(created.posToVal(left, 'x') * 1000);
    };
    created.over.addEventListener('click', onClick);
    const resized = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [names, format, locale, isBytes]);
  useEffect(() => {
    drawn.current = { limit, marks };
    if (document.hidden) return;
    plot.current?.setData([times.map((at) => at / 1000), ...series.map(({ values }) => [...values])]);
  });
  const last = series
    .map(({ label, values }) => {
      const value = values.at(-1) ?? null;
      return `${series.length > 1 ? `${label}: ` : ''}${value === null ? '–' : format(value)}`;
    })
    .join(', ');
  return (
    <figure className="card">
      <figcaption className="meter-text">
        <strong>{title}</strong>
        <span className="faint">{last}</span>
      </figcaption>
      <div ref={frame} className="graph" role="img" aria-label={`${title}. ${last}`} />
    </figure>
  );
}

function colour(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const minSpanSeconds = 60;
const daySeconds = 86_400;
const powersOfTwo = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Localized axis times, as fine as their distance. */
function timesOf(locale: string): (splits: readonly number[], apart: number) => string[] {
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const minutes = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const seconds = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  return (splits, apart) => {
    const format = apart >= daySeconds ? days : apart >= 60 ? minutes : seconds;
    return splits.map((value) => format.format(value * 1000));
  };
}

function createPlot(
  element: HTMLElement,
  names: readonly string[],
  { format, locale, isBytes }: Format,
  drawn: { readonly current: Drawn },
): uPlot {
  const strokes = ['--accent', '--good'].map((name) => colour(element, name));
  const [faint, line, bad] = ['--faint', '--line', '--bad'].map((name) => colour(element, name));
  const times = timesOf(locale);
  const axis = {
    stroke: faint ?? '',
    grid: { stroke: line ?? '', width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height: element.clientHeight,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      // Half a label may extend beyond the last line.
      padding: [8, 28, 0, 0],
      scales: {
        x: { range: (_plot, min, max) => [Math.min(min, max - minSpanSeconds), max] },
        y: { range: (_plot, _min, max) => [0, Math.max(max, (drawn.current.limit ?? 0) * 1.02, 1)] },
      },
      series: [
        {},
        ...names.map((label, index) => ({
          label,
          stroke: strokes[index % 2] ?? '',
          width: 1.5,
          points: { show: false },
        })),
      ],
      axes: [
        { ...axis, size: 24, space: 72, values: (_plot, splits, _axis, _space, apart) => times(splits, apart) },
        {
          ...axis,
          size: 64,
          ...(isBytes ? { incrs: powersOfTwo } : {}),
          values: (_plot, splits) => splits.map((value) => format(value)),
        },
      ],
      hooks: {
        draw: [
          (plot) => {
            const { limit, marks } = drawn.current;
            if (limit !== null) drawLine(plot, bad ?? '', [0, limit]);
            for (const { at, tone } of marks) drawLine(plot, (tone === 'bad' ? bad : faint) ?? '', [at / 1000, 0]);
          },
        ],
      },
    },
    [[], ...names.map(() => [])],
    element,
  );
}

/** Horizontal at a value, or vertical at a nonzero time. */
function drawLine(plot: uPlot, stroke: string, [time, value]: readonly [number, number]): void {
  const { ctx, bbox } = plot;
  const isTime = time !== 0;
  const at = Math.round(isTime ? plot.valToPos(time, 'x', true) : plot.valToPos(value, 'y', true));
  if (isTime && (at < bbox.left || at > bbox.left + bbox.width)) return;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(isTime ? at : bbox.left, isTime ? bbox.top : at);
  ctx.lineTo(isTime ? at : bbox.left + bbox.width, isTime ? bbox.top + bbox.height : at);
  ctx.stroke();
  ctx.restore();
}
