export type Gate = {readonly opened: Promise<void>; readonly open: () => void};

/** Something a test opens at a moment of its choosing, for others to wait on. */
export function makeGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {opened, open: () => open()};
}
