import { createElement } from 'react';

/** The component of an icon in the bundle: its shapes on a grid of 24. lucide's own takes sizes, colours and contexts as well. */
export function iconOf(...shapes) {
  const children = shapes.map(([tag, attributes]) => createElement(tag, attributes));
  return (props) =>
    createElement(
      'svg',
      {
        width: 24,
        height: 24,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        className: 'lucide',
        // Unless it has a name.
        'aria-hidden': props['aria-label'] === undefined ? true : undefined,
        ...props,
      },
      ...children,
    );
}
