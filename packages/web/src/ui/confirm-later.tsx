import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react';

const Confirm = lazy(async () => ({ default: (await import('./confirm.js')).Confirm }));

/** Lazily loaded, for small pages. */
export function ConfirmLater(props: ComponentProps<typeof Confirm>) {
  return (
    <Suspense fallback={null}>
      <Confirm {...props} />
    </Suspense>
  );
}

type Question = Omit<ComponentProps<typeof Confirm>, 'onClose'>;

/** Render `dialog`. */
export function useConfirm(): { readonly confirm: (question: Question) => void; readonly dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  return {
    confirm: setQuestion,
    dialog: question ? <ConfirmLater {...question} onClose={() => setQuestion(null)} /> : null,
  };
}
