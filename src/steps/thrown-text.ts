/** The first line of whatever was thrown. Never throws itself: a message may be a getter, or no text at all. */
export const thrownText = (thrown: unknown): string => {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message : thrown;
    const [line = ''] = String(text).split('\n');
    return line;
  } catch {
    return 'something that cannot be shown';
  }
};
