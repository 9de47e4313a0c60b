import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';
import { type Field, type FieldValue, Form, type FormValues } from './form.js';

interface FormDialogProps {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly action: string;
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly onClose: () => void;
  readonly size?: 'small' | 'large';
  readonly children?: ReactNode;
}

/** A form in a dialog, which closes when the panel has taken it. */
export function FormDialog({ title, size = 'small', onClose, children, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <Form {...form} onCancel={onClose} onDone={onClose}>
        {children}
      </Form>
    </Dialog>
  );
}

/** Words and lines of a field as a list. */
export function wordsOf(value: unknown): string[] {
  return String(value)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

/** Text of a field, or nothing where it was left empty. */
export function textOf(value: FieldValue | undefined): string | undefined {
  const text = String(value ?? '').trim();
  return text === '' ? undefined : text;
}
