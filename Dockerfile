# docker build -t skills . && docker run --rm -v "$PWD:/work" skills validate
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /skills .

FROM alpine:3.23
RUN apk add --no-cache bash bubblewrap git python3 && adduser -D skills
COPY --from=build /skills /usr/local/bin/skills
USER skills
WORKDIR /work
ENTRYPOINT ["skills"]
