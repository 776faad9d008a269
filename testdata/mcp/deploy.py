from stdio import serve

def PullLatestCode(serviceName):
    "Pulls the latest code from the Git repository."
    return "SUCCESS: pulled main, commit a7f89c2"

def BuildDockerImage(serviceName):
    "Builds a Docker image and pushes it to the private registry."
    return "SUCCESS: image built and pushed"

def DeployToK8s(serviceName, cluster):
    "Deploys a service to a Kubernetes cluster."
    return f"SUCCESS: the replica set of {serviceName} runs in {cluster}"

def RunHealthCheck(serviceName):
    "Checks the health of a deployed service."
    return "SUCCESS: /healthz returns 200 OK"

serve(PullLatestCode, BuildDockerImage, DeployToK8s, RunHealthCheck)
