import { EllipsisVertical } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';
import { Button } from './button.js';

interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly act: () => void;
  readonly why?: string | null | false;
  readonly isDanger?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly icon?: ReactNode;
  readonly text?: ReactNode;
}

export function Menu({ label, items, icon, text }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const place = (): void => {
    const popover = list.current;
    const anchor = button.current?.getBoundingClientRect();
    if (!popover || !anchor) return;
    const { width, height } = popover.getBoundingClientRect();
    const isBelow = anchor.bottom + height + 8 < innerHeight;
    popover.style.top = `${isBelow ? anchor.bottom + 4 : Math.max(8, anchor.top - height - 4)}px`;
    popover.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`;
  };
  return (
    <span ref={button} className="menu-anchor">
      <Button kind="quiet" label={label} icon={icon ?? <EllipsisVertical />} popoverTarget={id} aria-haspopup="menu">
        {text}
      </Button>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          place();
          list.current?.querySelector('button')?.focus();
        }}
        onKeyDown={(event) => moveFocus(event.key, list.current)}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            data-danger={item.isDanger || undefined}
            aria-disabled={Boolean(item.why) || undefined}
            title={item.why || undefined}
            onClick={() => {
              if (item.why) return;
              list.current?.hidePopover();
              item.act();
            }}
          >
            {item.icon}
            <span>
              {item.label}
              {item.why ? <small>{item.why}</small> : null}
            </span>
          </button>
        ))}
      </div>
    </span>
  );
}

function moveFocus(key: string, list: HTMLElement | null): void {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !list) return;
  const items = [...list.querySelectorAll('button')];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}
