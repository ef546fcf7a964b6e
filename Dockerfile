# levelgen with everything a level designer needs:
#
#     docker build -t levelgen .
#     docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" levelgen build templates/packs/village.yaml
#
# The base is pinned to a release; whoever needs the same bytes for ever adds its digest here.
FROM python:3.12.8-slim-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/levelgen
WORKDIR /src
COPY constraints.txt ./
RUN /opt/levelgen/bin/pip install --no-cache-dir --require-hashes -r constraints.txt
COPY pyproject.toml setup.py README.md ./
COPY levelgen ./levelgen
RUN /opt/levelgen/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12.8-slim-bookworm
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin levelgen
COPY --from=build /opt/levelgen /opt/levelgen
ENV PATH=/opt/levelgen/bin:$PATH
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["levelgen"]
CMD ["--help"]
