// Follows a game that is being recorded: server-sent events where they are to be had, else asking now and then.

const PAUSE = 2000;

export function follow(game, seen, { onNews, onLost, onBack }) {
  let newest = seen;
  let stopped = false;
  let source = null;
  let isLost = false;
  const lost = () => {
    isLost = true;
    onLost();
  };
  const back = () => {
    if (isLost) onBack();
    isLost = false;
  };
  const news = (version) => {
    if (version > newest) {
      newest = version;
      onNews(version);
    }
  };
  const stream = () => {
    source = new EventSource(`/v1/games/${game}/stream?after=${newest}`);
    source.addEventListener("version", (event) => news(Number(JSON.parse(event.data).version)));
    source.onopen = back;
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) {
        source = null;
        if (!stopped) setTimeout(ask, PAUSE);
      } else {
        lost();
      }
    };
  };
  const ask = async () => {
    if (stopped) return;
    try {
      const answer = await fetch(`/v1/games/${game}`, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        back();
        const found = await answer.json();
        news(found.version);
        if (found.status === "ended") return;
      } else {
        lost();
      }
    } catch {
      lost();
    }
    setTimeout(ask, PAUSE);
  };
  stream();
  return () => {
    stopped = true;
    source?.close();
  };
}
